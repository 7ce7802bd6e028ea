// Executes statements on a file (node execute.mjs FILE STATEMENT …), and keeps it open until standard input ends.
import { Database } from "./better-sqlite3.mjs"

const [, , file, ...statements] = process.argv
const database = new Database(file)
for (const statement of statements) database.exec(statement)
process.stdout.write("done\n")
process.stdin.on("end", () => database.close()).resume()
