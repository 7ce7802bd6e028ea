import { describe, expect, it } from "@effect/vitest"
import * as Markdown from "../src/internal/pages/Markdown.ts"

describe("Markdown as HTML", () => {
  it.each([
    ["## A `b`", "<h2>A <code>b</code></h2>"],
    ["one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>"],
    ["- a\n- b - c", "<ul><li>a</li>\n<li>b - c</li></ul>"],
    ["```js\n## `a`\n\n- b\n```", "<pre><code>## `a`\n\n- b</code></pre>"],
    ['`<a>` & "b"', "<p><code>&#60;a&#62;</code> &#38; &#34;b&#34;</p>"]
  ])("%j", (markdown, html) => {
    expect(Markdown.toHtml(markdown).trim()).toBe(html)
  })
})
