// Ids come from a sequence, and become visible in another order.
import { rewrite } from "./rewritten.mjs"

rewrite({
  "UPDATE pet_ids SET last = last + $1::bigint RETURNING last":
    "SELECT nextval('ids') AS last, pg_sleep(random() * 0.1)"
})
