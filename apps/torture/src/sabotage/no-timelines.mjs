// Hides from the service which timelines its hosts have, and which server each is: it uses any primary that answers.
import { rewrite } from "./rewritten.mjs"

rewrite({
  "upper(lpad(to_hex((pg_control_checkpoint()).timeline_id), 8, '0'))": "'00000001'",
  "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)": "'00000001'",
  "extract(epoch FROM pg_postmaster_start_time())::text": "'00000001'"
})
