/** The page at `/docs`: plain HTML that reads the OpenAPI document and lets a person try it. */

/** How the page looks, on light and dark screens. */
export const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --accent: #2f6fdb }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 small { font-size: 1rem; opacity: .6 }
section { border: 1px solid var(--line); border-radius: .6rem; margin: 1rem 0; padding: .5rem 1rem }
h2 { font-size: 1.05rem; margin: .4rem 0 }
b.method { color: #fff; background: var(--accent); border-radius: .3rem; padding: .1rem .5rem }
code, pre, textarea, input { font: 14px/1.4 ui-monospace, monospace }
pre { background: var(--soft); padding: .7rem; border-radius: .4rem; overflow: auto; white-space: pre-wrap }
label { display: block; margin: .5rem 0 }
input, textarea, select { width: 100%; box-sizing: border-box; padding: .35rem }
button { font: inherit; padding: .3rem 1.2rem; cursor: pointer }
.deprecated { text-decoration: line-through }
table { border-collapse: collapse } td { padding: .1rem .8rem .1rem 0; vertical-align: top }
`

/** What the page does. The key stays in the page and goes nowhere but into requests. */
export const script = `
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}
const prose = (text) => text.split("\`").map((part, at) => at % 2 ? make("code", {}, part) : part)
const resolve = (api, schema) => schema.$ref
  ? api.components.schemas[schema.$ref.split("/").pop()]
  : schema
const key = make("input", { id: "key", type: "password", autocomplete: "off", placeholder: "API key" })

const operation = (api, path, method, op) => {
  const inputs = (op.parameters ?? []).map((parameter) => {
    const schema = resolve(api, parameter.schema)
    const input = schema.enum
      ? make("select", {}, ...["", ...schema.enum].map((value) => make("option", {}, value)))
      : make("input", { placeholder: schema.default ?? "" })
    input.name = parameter.name
    return { parameter, input, note: parameter.description ?? schema.description ?? "" }
  })
  const body = op.requestBody && make("textarea", {
    name: "body", rows: 3, value: '{"name": "Rex", "categoryId": 1, "status": "available"}'
  })
  const result = make("pre", { hidden: true })
  const send = async () => {
    let url = "/v1" + path
    const query = new URLSearchParams()
    for (const { parameter, input } of inputs) {
      if (parameter.in === "path") {
        url = url.replace("{" + parameter.name + "}", encodeURIComponent(input.value))
      } else if (input.value !== "") query.set(parameter.name, input.value)
    }
    if (query.size > 0) url += "?" + query
    const headers = key.value ? { Authorization: "Bearer " + key.value } : {}
    if (body) headers["Content-Type"] = "application/json"
    result.hidden = false
    try {
      const answer = await fetch(url, { method, headers, body: body?.value })
      const shown = [...answer.headers].map(([name, value]) => name + ": " + value).join("\\n")
      result.textContent = method + " " + url + "\\n\\n" + answer.status + " " + answer.statusText +
        "\\n" + shown + "\\n\\n" + await answer.text()
    } catch (error) {
      result.textContent = "No answer: " + error.message
    }
  }
  const answers = Object.entries(op.responses).map(([status, response]) =>
    make("tr", {}, make("td", {}, make("code", {}, status)), make("td", {}, response.description)))
  return make("section", { id: op.operationId },
    make("h2", {}, make("b", { className: "method" }, method), " ",
      make("code", { className: op.deprecated ? "deprecated" : "" }, path), " " + op.summary),
    make("p", {}, ...prose(op.description)),
    ...inputs.map(({ parameter, input, note }) => make("label", {}, parameter.name + " — " + note, input)),
    ...(body ? [make("label", {}, "body", body)] : []),
    make("button", { onclick: send }, "Send"),
    result,
    make("details", {}, make("summary", {}, "Answers"), make("table", {}, ...answers)))
}

const main = document.querySelector("main")
fetch("/openapi.json").then((answer) => answer.json()).then((api) => {
  main.replaceChildren(
    make("h1", {}, api.info.title + " ", make("small", {}, api.info.version)),
    make("p", {}, api.info.description),
    make("label", {}, "Your API key", key),
    ...Object.entries(api.paths).flatMap(([path, item]) => Object.entries(item).map(
      ([method, op]) => operation(api, path, method.toUpperCase(), op))),
    make("details", {}, make("summary", {}, "Schemas"),
      make("pre", {}, JSON.stringify(api.components.schemas, null, 2))),
    make("p", {}, make("a", { href: "/openapi.json" }, "The OpenAPI document")))
}).catch((error) => { main.textContent = "The document could not be read: " + error.message })
`

/** The whole page. */
export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pet Store</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<main>One moment …</main>
<script type="module">${script}</script>
</html>
`
