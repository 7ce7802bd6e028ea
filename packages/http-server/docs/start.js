// Starts the API reference. Addresses are relative to the page, so that it works behind any prefix.
const { server } = document.querySelector("#reference").dataset

window.Scalar.createApiReference("#reference", {
  url: "openapi.json",
  documentDownloadType: "direct",
  // The server that the page comes from: the only one that its policy lets it call.
  servers: [{ url: new URL(server, location.href).href, description: "This server" }],
  // Nothing is loaded from elsewhere, sent elsewhere, or kept.
  agent: { disabled: true },
  hideClientButton: true,
  persistAuth: false,
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false
})
