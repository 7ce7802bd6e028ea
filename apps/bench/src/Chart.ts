/** The requests/s of every server against Fastify's, as an SVG with a background of its own, so that it reads on any page. */
import { type Findings, ratio } from "./Results.ts"
import { ours, type Server } from "./Servers.ts"
import { isFirst, type Work } from "./Works.ts"

const paper = "#ffffff"
const ink = "#24292f"
const accent = "#0550ae"
const quiet = "#8c959f"

const columns = 2
const panelWidth = 430
const labelWidth = 112
const valueWidth = 46
const rowHeight = 20
const barHeight = 12
const titleHeight = 30
const headHeight = 48
const footHeight = 34
const margin = 16

const note =
  "constant body: node:http that sends the same 20 pets every time, without a key check or a database. No service on node:http is faster."

export const draw = (
  findings: Findings,
  works: ReadonlyArray<Work>,
  servers: ReadonlyArray<Server>
): string => {
  const panels = works
    .filter((work) => !isFirst(work))
    .map((work) => ({
      work,
      bars: servers.flatMap(({ name, title }) => {
        const value = ratio(findings, work.id, "requestsPerSecond", name, "fastify")
        return Number.isNaN(value) ? [] : [{ name, title, value }]
      })
    }))
  const most = Math.max(1, ...panels.flatMap(({ bars }) => bars.map(({ value }) => value)))
  const scale = (panelWidth - labelWidth - valueWidth - margin) / most
  const panelHeight = titleHeight + servers.length * rowHeight + margin
  const width = columns * panelWidth + margin
  const height = headHeight + Math.ceil(panels.length / columns) * panelHeight + footHeight

  const drawn = panels.map(({ work, bars }, index) => {
    const x = margin + (index % columns) * panelWidth
    const y = headHeight + Math.floor(index / columns) * panelHeight
    return [
      `<g transform="translate(${x} ${y})">`,
      text(0, 14, work.title, ink, `font-size="14" font-weight="600"`),
      ...bars.flatMap(({ name, title, value }, row) => {
        const middle = titleHeight + row * rowHeight + rowHeight / 2 - 5
        const [colour, weight] = name === ours ? [accent, "700"] : [quiet, "400"]
        const word = name === ours ? accent : ink
        const length = Math.max(1, value * scale).toFixed(1)
        return [
          text(
            labelWidth - 8,
            middle + 4,
            title,
            word,
            `text-anchor="end" font-weight="${weight}"`
          ),
          `<rect x="${labelWidth}" y="${middle - barHeight / 2}" width="${length}" height="${barHeight}" rx="2" fill="${colour}"/>`,
          text(
            labelWidth + value * scale + 6,
            middle + 4,
            `${value.toFixed(2)}×`,
            word,
            `font-weight="${weight}"`
          )
        ]
      }),
      "</g>"
    ].join("\n")
  })

  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="12" role="img" aria-label="Requests per second against Fastify">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${paper}"/>`,
    text(margin, 28, "Requests per second, Fastify = 1", ink, `font-size="16" font-weight="600"`),
    ...drawn,
    text(margin, height - 16, note, ink, ""),
    "</svg>"
  ].join("\n")}\n`
}

const text = (x: number, y: number, words: string, fill: string, more: string): string =>
  `<text x="${x.toFixed(1)}" y="${y}" fill="${fill}" ${more}>${words}</text>`
