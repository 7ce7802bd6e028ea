// Starts the API reference. Addresses are relative to the page, so that it works behind any prefix.
const { server } = document.querySelector("#reference").dataset

// Ids may be larger than a number can hold. Responses show them exactly, where the browser can keep their digits.
const parse = JSON.parse
const exactly = (_key, value, { source }) =>
  /^-?\d{16,}$/.test(source) ? JSON.rawJSON(source) : value
const keepDigits = () => {
  if ("rawJSON" in JSON) JSON.parse = (text, reviver = exactly) => parse(text, reviver)
}

window.Scalar.createApiReference("#reference", {
  url: "openapi.json",
  documentDownloadType: "direct",
  // The server that the page comes from: the only one that its policy lets it call.
  servers: [{ url: new URL(server, location.href).href, description: "This server" }],
  orderSchemaPropertiesBy: "preserve",
  // On phones, the form that sends requests would be a bit wider than the screen.
  customCss: '[aria-label="API Client"] main > * { min-width: 0 }',
  // Nothing is loaded from elsewhere, sent elsewhere, or kept.
  agent: { disabled: true },
  hideClientButton: true,
  persistAuth: false,
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false,
  onLoaded: keepDigits
})
