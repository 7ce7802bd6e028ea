/** Makes the pictures of `/docs` for the README; see docs/images. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "vitest"
import * as Browser from "../support/Browser.ts"
import * as DocsPage from "../support/DocsPage.ts"
import { workspace } from "../support/Projects.ts"
import * as Service from "../support/Service.ts"

// The address that the README names, whichever port the service got.
const shown = "http://127.0.0.1:3000"

it.for(["light", "dark"] as const)(
  "takes a picture, %s",
  async (colorScheme, { expect, onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), "petstore-screenshots-"))
    onTestFinished(async () => rmSync(folder, { recursive: true, force: true }))
    const url = await Service.start(folder, onTestFinished)
    const browser = await Browser.find(folder)
    if (browser === undefined) throw new Error("set CHROMIUM to the path of Chromium")
    const driver = await Browser.drive(browser, onTestFinished)
    const page = await driver.newPage({ colorScheme, viewport: { width: 1280, height: 800 } })
    await page.route(`${shown}/**`, async (route) => {
      const actual = route.request().url().replace(shown, url)
      await route.fulfill({ response: await route.fetch({ url: actual }) })
    })
    // Each operation has an address, and is shown when it is opened.
    await page.goto(`${shown}/docs#tag/pets/POST/pets`)
    await DocsPage.buttonOf(page, "post /pets").waitFor()
    const heading = page.getByRole("heading", { name: "Add a pet" })
    await expect
      .poll(async () => (await heading.boundingBox())?.y, { timeout: 60_000 })
      .toBeLessThan(200)
    const path = join(
      workspace,
      "docs/images",
      colorScheme === "light" ? "docs.png" : "docs-dark.png"
    )
    await page.screenshot({ path, animations: "disabled" })
  }
)
