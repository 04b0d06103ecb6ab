/** The members used here of a package whose own declarations its exports do not name. */
declare module 'better-sqlite3-multiple-ciphers' {
  export default class Database {
    constructor(file: string, options?: { timeout?: number; readonly?: boolean })
    prepare(sql: string): unknown
    pragma(text: string): unknown
    exec(sql: string): this
    close(): this
  }
}
