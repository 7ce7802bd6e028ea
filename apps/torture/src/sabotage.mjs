// Breaks the program that it is loaded into, as its query says: `node --import ./sabotage.mjs?leak main.js`.
import { Server } from "node:http"
import { createRequire } from "node:module"
import { Socket } from "node:net"
import { inspect } from "node:util"
import { isMainThread } from "node:worker_threads"

/** The SQLite driver that the service loads. */
const Database = createRequire(new URL("../../api/package.json", import.meta.url))("better-sqlite3")

const sqlite = Database.prototype

/** Prepares statements of SQLite with this, which gets their SQL and a function that prepares. */
const prepareBy = (make) => {
  const { prepare } = sqlite
  sqlite.prepare = function (source) {
    return make(source, (sql) => prepare.call(this, sql), this)
  }
}

/** Changes the SQL of statements that the service prepares. */
const rewritePrepared = (change) => prepareBy((source, prepare) => prepare(change(source)))

/** Changes the SQL that the service executes on SQLite. */
const rewriteExecuted = (from, to) => {
  const { exec } = sqlite
  sqlite.exec = function (source) {
    return exec.call(this, source.replace(from, to))
  }
}

/** Runs this instead of a COMMIT of the thread that writes, with the database and the function that executes. */
const commitBy = (commit) => {
  const { exec } = sqlite
  sqlite.exec = function (source) {
    const run = (sql) => exec.call(this, sql)
    return source === "COMMIT" && !isMainThread ? commit(this, run) : run(source)
  }
}

/** Calls this for an event of the server, which does not see the event if it returns true. */
const onServerEvent = (event, handle) => {
  const { emit } = Server.prototype
  Server.prototype.emit = function (name, ...rest) {
    return (name === event && handle(...rest)) || emit.call(this, name, ...rest)
  }
}

/** True each time that it is called this often. */
const every = (times) => {
  let calls = 0
  return () => ++calls % times === 0
}

const sabotages = {
  /** Answers every twentieth malformed request as Node does by itself. */
  "bare-refusal": () => {
    const isNext = every(20)
    onServerEvent("clientError", (_, socket) => {
      if (!isNext()) return false
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
      return true
    })
  },

  /** The time of day is read once, and goes on by the monotonic clock. */
  "clock-once": () => {
    const start = Date.now() - performance.now()
    Date.now = () => Math.floor(start + performance.now())
  },

  /** Ignores that a transaction cannot be committed, and answers as if it had been. */
  "ignored-errors": () =>
    commitBy((database, run) => {
      try {
        run("COMMIT")
      } catch {
        if (database.inTransaction) run("ROLLBACK")
      }
    }),

  /** Keeps 128 KB for each request, for ever. */
  leak: () => {
    const kept = []
    onServerEvent("request", () => void kept.push(Buffer.alloc(131_072, 1)))
  },

  /** Logs the headers of every fiftieth request. */
  "log-key": () => {
    const isNext = every(50)
    onServerEvent("request", ({ headers }) => {
      if (isNext()) process.stderr.write(inspect(headers))
    })
  },

  /** Waits for the lock of the file on the event loop. */
  "loop-lock": () => {
    if (!isMainThread) return
    const file = process.env.DATABASE_URL.replace("sqlite:", "")
    setInterval(() => {
      const database = new Database(file, { timeout: 500 })
      try {
        database.exec("BEGIN IMMEDIATE; COMMIT")
      } catch {
        // It was not released in time.
      } finally {
        database.close()
      }
    }, 300).unref()
  },

  /** Rolls back every twentieth transaction, and answers as if it had been committed. */
  "lost-commit": () => {
    const isNext = every(20)
    commitBy((_, run) => run(isNext() ? "ROLLBACK" : "COMMIT"))
  },

  /** Hides revocations from the servers. */
  "no-revocations": () =>
    rewritePrepared((source) => {
      const isRead = /^SELECT .*\brevoked\b.* FROM api_keys/s.test(source)
      return isRead ? source.replace(/\brevoked\b/, "NULL AS revoked") : source
    }),

  /** A primary of the first timeline is one of the third as soon as one of the second was seen. */
  "no-timelines": () => {
    const { emit } = Socket.prototype
    let isReplaced = false
    Socket.prototype.emit = function (name, data, ...rest) {
      const answer = '"isStandby" : false, "timeline" : '
      const at = name === "data" && Buffer.isBuffer(data) ? data.indexOf(answer) : -1
      const timeline = at < 0 ? "" : String.fromCharCode(data[at + answer.length])
      if (timeline === "2") isReplaced = true
      if (timeline === "1" && isReplaced) data.write("3", at + answer.length)
      return emit.call(this, name, data, ...rest)
    }
  },

  /** An import adds a part of its pets, and says that it added all. */
  "partial-import": () => rewriteExecuted("FROM without_id ORDER BY", "$& rowid LIMIT 100 --"),

  /** A slow disk: every pet takes ten milliseconds of the thread that writes. */
  "slow-insert": () => {
    const nothing = new Int32Array(new SharedArrayBuffer(4))
    prepareBy((source, prepare) => {
      const statement = prepare(source)
      if (!source.startsWith("INSERT INTO pets")) return statement
      const { run } = statement
      statement.run = function (...values) {
        Atomics.wait(nothing, 0, 0, 10)
        return run.apply(this, values)
      }
      return statement
    })
  },

  /** Syncs the write-ahead log before checkpoints only, and tells the service that each commit is synced. */
  "synchronous-normal": () => {
    rewriteExecuted("synchronous = FULL", "synchronous = NORMAL")
    rewritePrepared((source) => (source === "PRAGMA synchronous" ? "SELECT 2" : source))
  },

  /** Takes every database for an empty one. */
  "unchecked-schema": () =>
    rewritePrepared((source) =>
      source.endsWith(" FROM sqlite_schema") ? `${source} WHERE 0` : source
    )
}

sabotages[new URL(import.meta.url).search.slice(1)]()
