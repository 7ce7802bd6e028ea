// Starts the API reference. Addresses are relative to the page, so that it works behind any prefix.
const { server } = document.querySelector("#reference").dataset
const introduction = document.querySelector("#introduction")
// The server that the page comes from: the only one that its policy lets it call.
const { href } = new URL(server, location.href)

// Examples have a variable of the shell for the address before the prefix, which is known here.
const variable = new RegExp(`\\$\\w+(?=${server.slice(1)})`, "g")
const withAddress = (text) => text.replaceAll(variable, href.slice(0, 1 - server.length))
for (const code of introduction.querySelectorAll("pre code"))
  code.textContent = withAddress(code.textContent)

// The document without what the reference shows badly: a contact without an address looks like a button, and patterns
// stand before the descriptions that say the same.
const shown = (key, value) => (key === "contact" || key === "pattern" ? undefined : value)
const fetchDocument = async (...given) => {
  const text = withAddress(await (await fetch(...given)).text())
  return Response.json(JSON.parse(text, shown))
}

// Ids may be larger than a number can hold. Responses show them exactly, where the browser can keep their digits.
const parse = JSON.parse
const exactly = (_key, value, { source }) =>
  /^-?\d{16,}$/.test(source) ? JSON.rawJSON(source) : value
const keepDigits = () => {
  if ("rawJSON" in JSON) JSON.parse = (text, reviver = exactly) => parse(text, reviver)
}

const css = `
.light-mode, .dark-mode { --scalar-color-accent: var(--accent) }
.light-mode .t-doc__sidebar, .dark-mode .t-doc__sidebar { --scalar-sidebar-color-active: var(--accent) }
/* On phones, the form that sends requests would be a bit wider than the screen. */
[aria-label="API Client"] main > * { min-width: 0 }
/* On small screens the response is below the request, and can be scrolled to the top before it has arrived. */
[aria-label="API Client"] [aria-label="Response"] { flex-shrink: 0; min-height: 100% }
/* Long lines of code would be cut off without a hint that they can be scrolled. */
.markdown pre code, .markdown pre code * { white-space: pre-wrap !important }
/* The name of a deprecated operation says until when it works. */
.line-through, .deprecated, .deprecated * { text-decoration: none !important }
/* The statuses of an operation do not fit in one line. */
.tab-list { flex-wrap: wrap }
`

document.addEventListener("click", ({ target }) => {
  const { ariaLabel, textContent } = target.closest("button") ?? {}
  if (!/Send \w+ request to/.test(`${ariaLabel} ${textContent}`)) return
  document.querySelector('[aria-label="API Client"] [aria-label="Response"]')?.scrollIntoView()
})

const start = () =>
  window.Scalar.createApiReference("#reference", {
    url: "openapi.json",
    fetch: fetchDocument,
    documentDownloadType: "direct",
    servers: [{ url: href, description: "This server" }],
    orderSchemaPropertiesBy: "preserve",
    customCss: css,
    // Nothing is loaded from elsewhere, sent elsewhere, or kept.
    agent: { disabled: true },
    hideClientButton: true,
    persistAuth: false,
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
    onLoaded: () => {
      introduction.remove()
      keepDigits()
    }
  })

// After the reference itself, which loads for some seconds on a slow machine.
addEventListener("DOMContentLoaded", start)
