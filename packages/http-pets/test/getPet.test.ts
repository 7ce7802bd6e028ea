import { TestClock } from "effect"
import { suites } from "./cases/getPet.ts"
import { run } from "./support/Cases.ts"
import { exchange } from "./support/Connection.ts"
import { deprecation, expectResponse, found, refusal } from "./support/Expected.ts"
import { create } from "./support/Request.ts"
import { clocked } from "./support/Served.ts"

run(suites)

clocked()("it is removed on 5 December 2030, to the millisecond", function* () {
  const target = "/v1/pets/1?limit=0&cursor=x"
  yield* exchange(create('{"name":"n","categoryId":1}'))
  yield* TestClock.setTime(Date.UTC(2030, 11, 5) - 1)
  const pet = found('{"id":1,"name":"n","categoryId":1}', deprecation)
  expectResponse(yield* exchange({ target }), pet)
  yield* TestClock.adjust(1)
  const gone = refusal("gone", "this operation is gone; use /v1/pets instead", deprecation)
  expectResponse(yield* exchange({ target }), gone)
})
