/** The page `/docs` in a real browser: read, and used to send requests. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Browser from "./support/Browser.ts"
import * as DocsPage from "./support/DocsPage.ts"
import * as ReverseProxy from "./support/ReverseProxy.ts"
import * as Service from "./support/Service.ts"
import { missing } from "./support/Tools.ts"

const stops: Array<() => Promise<void>> = []
const atEnd = (stop: () => Promise<void>) => {
  stops.unshift(stop)
}

let folder: string
let direct: string
let proxied: string
let browser: Browser.Browser | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "petstore-docs-"))
  atEnd(async () => rmSync(folder, { recursive: true, force: true }))
  direct = await Service.start(folder, atEnd)
  proxied = await ReverseProxy.start(direct, "/shop", atEnd)
  browser = await Browser.find(folder)
})

afterAll(async () => {
  for (const stop of stops) await stop()
})

const removal = "Get a pet (removed on 5 December 2030)"
const visits = [
  { name: "on a desktop", width: 1280, colorScheme: "light", url: () => direct },
  { name: "on a dark phone, behind a prefix", width: 390, colorScheme: "dark", url: () => proxied }
] as const

describe("the page /docs", () => {
  for (const { colorScheme, name, url, width } of visits)
    it(`explains the API and sends requests ${name}`, async ({ expect, onTestFinished, skip }) => {
      if (browser === undefined)
        return skip(`${missing("Chromium")}: set CHROMIUM to the path of one`)
      const driver = await Browser.drive(browser, onTestFinished)
      const page = await driver.newPage({ colorScheme, viewport: { width, height: 900 } })
      page.setDefaultTimeout(60_000)
      const problems = await DocsPage.watch(page, url())

      await page.goto(`${url()}/docs`)
      await DocsPage.buttonOf(page, "get /pets").waitFor()
      const text = await page.locator("body").textContent()
      for (const part of [
        "Pet Store",
        `${url()}/v1`,
        "curl",
        "Node.js",
        "required",
        "int64",
        removal
      ])
        expect(text).toContain(part)
      const seen = await page.evaluate(`({
        width: document.documentElement.scrollWidth,
        isDark: document.body.classList.contains("dark-mode"),
        cutOff: [...document.querySelectorAll(".markdown pre code")]
          .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth).length
      })`)
      expect(seen).toEqual({ width, isDark: colorScheme === "dark", cutOff: 0 })

      const list = await DocsPage.open(page, "get /pets")
      expect(await list.right()).toBeLessThanOrEqual(width)
      await list.send("401 Unauthorized", "an API key is required")
      await list.authorise(Service.key)
      await list.send("200 OK", Service.firstPet.id, Service.firstPet.name)
      expect(await list.top()).toBeLessThan(300)
      await list.close()

      const pet = { name: `Rex ${name}`, categoryId: width }
      const add = await DocsPage.open(page, "post /pets")
      await add.write(JSON.stringify(pet), pet.name)
      await add.send("201 Created", pet.name)
      await add.write('{"name":"","categoryId":4711}', "4711")
      await add.send("400 Bad Request", "name must not be empty")
      await add.close()

      const again = await DocsPage.open(page, "get /pets")
      await again.send("200 OK", pet.name)

      // Browsers report these two themselves.
      const failed = (status: string) =>
        `Failed to load resource: the server responded with a status of ${status}`
      expect(problems).toEqual([failed("401 (Unauthorized)"), failed("400 (Bad Request)")])
      const kept = await page.evaluate(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"
      )
      expect(kept).not.toContain(Service.key)
    })
})
