/** The page `/docs` in a real browser: read, and used to send requests. */
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { beforeAll, describe, it } from "vitest"
import * as Browser from "./support/Browser.ts"
import * as DocsPage from "./support/DocsPage.ts"
import * as Outside from "./support/Outside.ts"
import type { AtEnd } from "./support/Processes.ts"
import * as Service from "./support/Service.ts"
import { missing } from "./support/Workspace.ts"

const stops: Array<() => Promise<void>> = []
const atEnd: AtEnd = (stop) => void stops.unshift(stop)

const folder = Outside.makeFolder()
let direct: string
let proxied: string
let browser: Awaited<ReturnType<typeof Browser.find>>

beforeAll(async () => {
  atEnd(async () => Outside.remove(folder))
  direct = await Service.start(folder, atEnd)
  proxied = await proxy(direct, "/shop", atEnd)
  browser = await Browser.find(folder)
  return async () => {
    for (const stop of stops) await stop()
  }
})

/** Serves the server at this address under a prefix, and nothing else, until the end. Resolves to the address. */
const proxy = async (target: string, prefix: string, atEnd: AtEnd): Promise<string> => {
  const server = createServer((incoming, outgoing) => {
    const { headers, method, url = "" } = incoming
    if (!url.startsWith(`${prefix}/`)) return void outgoing.writeHead(404).end()
    const forwarded = request(target + url.slice(prefix.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.once("error", () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
}

const visits = [
  { name: "on a desktop", width: 1280, colorScheme: "light", url: () => direct },
  { name: "on a dark phone, behind a prefix", width: 390, colorScheme: "dark", url: () => proxied }
] as const

describe("the page /docs", () => {
  for (const { colorScheme, name, url, width } of visits)
    it(`explains the API and sends requests ${name}`, async ({ expect, onTestFinished, skip }) => {
      if (browser === undefined)
        return skip(`${missing("Chromium")}: set CHROMIUM to the path of one`)
      const driver = await Browser.start(browser, onTestFinished)
      const page = await driver.newPage({ colorScheme, viewport: { width, height: 900 } })
      page.setDefaultTimeout(60_000)
      const problems = await DocsPage.watch(page, url())

      await page.goto(`${url()}/docs`)
      await DocsPage.buttonOf(page, "get /pets").waitFor()
      const text = await page.locator("body").textContent()
      for (const part of [
        "Pet Store",
        `curl "${url()}/v1/pets"`,
        "required",
        "int64",
        "until 5 December 2030"
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
      const kept = "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])"
      expect(await page.evaluate(kept)).not.toContain(Service.key)
    })
})
