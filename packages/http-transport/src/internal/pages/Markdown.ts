/** Markdown as HTML, as far as the introduction of an API needs it: headings, paragraphs, lists and code. */

/** A text as HTML shows it. */
export const quoted = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The HTML of a text in Markdown. */
export const toHtml = (markdown: string): string =>
  markdown
    .split(/^```.*\n?/m)
    .map((part, at) => {
      // Every second part stands between two fences.
      if (at % 2 === 1) return `<pre><code>${quoted(part.trimEnd())}</code></pre>`
      return part
        .split(/\n{2,}/)
        .map(block)
        .join("\n")
    })
    .join("\n")

const block = (text: string): string => {
  const content = inline(text.trim())
  if (content.startsWith("## ")) return `<h2>${content.slice(3)}</h2>`
  if (content.startsWith("- ")) return `<ul>${content.replace(/^- (.*)$/gm, "<li>$1</li>")}</ul>`
  return content && `<p>${content}</p>`
}

const inline = (text: string): string => quoted(text).replace(/`([^`]+)`/g, "<code>$1</code>")
