import { expect, it } from "@effect/vitest"
import { Counter, Gauge, Registry } from "prom-client"
import * as MetricsAggregate from "../src/workers/MetricsAggregate.ts"

it("metrics of workers have the counts of those that have ended, but not their gauges", async () => {
  const aggregate = MetricsAggregate.make()
  const start = () => {
    const registry = new Registry()
    const of = (name: string) => ({ name, help: name, registers: [registry] })
    new Counter(of("requests_total")).inc(2)
    new Gauge(of("connections")).inc()
    const member = aggregate.add(async () => member.receive(await registry.getMetricsAsJSON()))
    return member
  }
  const samples = async () => (await aggregate.read()).match(/^(?!#).+$/gm)
  const restarts = "petstore_worker_restarts_total 0"
  const [first, second] = [start(), start()]
  expect(await samples()).toEqual([
    "requests_total 4",
    "connections 2",
    "petstore_workers 2",
    restarts
  ])
  first.leave()
  expect(await samples()).toEqual([
    "requests_total 4",
    "connections 1",
    "petstore_workers 1",
    restarts
  ])
  second.leave()
  expect(await samples()).toEqual(["requests_total 4", "petstore_workers 0", restarts])
})
