/** The part of Bun's SQLite that is used here: Bun's own types would replace Node's globals. */
declare module "bun:sqlite" {
  export interface Statement<Row, Parameters extends ReadonlyArray<unknown>> {
    all(...parameters: Parameters): Array<Row>
    get(...parameters: Parameters): Row | null
    run(...parameters: Parameters): { readonly lastInsertRowid: number | bigint }
  }
  export class Database {
    constructor(filename: string, options: { create: boolean; readwrite: boolean })
    run(sql: string): unknown
    query<Row, Parameters extends ReadonlyArray<unknown>>(sql: string): Statement<Row, Parameters>
    close(): void
  }
}
