/** The page `/docs` in a browser, as a person uses it. */
import type { Locator, Page } from "playwright-core"

/** Everything that a page of this address must not do, as it happens. */
export const watch = async (page: Page, url: string): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  // A library of the page tries once whether it may compile functions, and does without. Any other use of eval fails.
  await page.addInitScript(`addEventListener("securitypolicyviolation", (event) => {
    if (event.blockedURI !== "eval")
      console.error(event.effectiveDirective + " forbids " + event.blockedURI)
  })`)
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text())
  })
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url())
    if (/^https?:$/.test(protocol) && origin !== new URL(url).origin)
      problems.push(`request to ${origin}`)
  })
  return problems
}

/** The button that opens the client of an operation, such as `get /pets`. */
export const buttonOf = (page: Page, operation: string): Locator =>
  page.getByRole("button", { name: new RegExp(`^Test Request ?\\(${operation}\\)$`) })

/** Opens the part of the page that sends requests of an operation. */
export const open = async (page: Page, operation: string) => {
  await buttonOf(page, operation).click()
  const dialog = page.getByRole("dialog", { name: "API Client" })
  const request = dialog.getByRole("region", { name: /^Request: / })
  const response = dialog.getByRole("region", { name: "Response", exact: true })
  const client = {
    /** How far to the right it reaches, in pixels. */
    right: async () => {
      const { width, x } = (await request.boundingBox()) ?? { width: Number.NaN, x: 0 }
      return x + width
    },
    /** How far below the top of the screen the response begins, in pixels. */
    top: async () => (await response.boundingBox())?.y ?? Number.NaN,
    authorise: (key: string) => request.getByRole("textbox", { name: "Bearer Token" }).fill(key),
    /** Replaces the body; a part of it is enough to know when the page has noticed. */
    write: async (body: string, part: string, tries = 12): Promise<void> => {
      const snippet = request.getByRole("region", { name: /^Code Snippet/ })
      const closed = snippet.getByRole("button", { name: /Collapsed/ })
      if (await closed.isVisible()) await closed.click()
      await request.getByRole("region", { name: "Request Body" }).getByRole("textbox").click()
      await page.keyboard.press("ControlOrMeta+A")
      await page.keyboard.insertText(body)
      // On a busy machine the page may still build its parts, and lose what was written: a person writes it again.
      const timeout = 5000
      await snippet
        .getByText(part)
        .waitFor({ timeout })
        .catch((error) => {
          if (tries === 1) throw error
          return client.write(body, part, tries - 1)
        })
    },
    /** Waits for the response to have this status and to contain these texts. */
    send: async (status: string, ...texts: ReadonlyArray<string>) => {
      await dialog.getByRole("button", { name: /^Send \w+ request to / }).click()
      await response.getByRole("link", { name: status }).waitFor()
      const body = response.getByRole("region", { name: "Body", exact: true })
      for (const text of texts) await body.getByText(text).first().waitFor()
    },
    close: async () => {
      await dialog.getByRole("button", { name: "Close Client" }).click()
      await dialog.waitFor({ state: "hidden" })
    }
  }
  return client
}
