import { DatabaseSync } from 'node:sqlite'
import { FileProblem, type GivenFile } from './given-file.ts'

/** Rows of a table of another program. */
export type ForeignRow = Readonly<Record<string, unknown>>

/** Rows of one table, at most. */
const maxRows = 20_000

const magic = Buffer.from('SQLite format 3\0')

/** Returns true if the file is an SQLite database. */
export const isDatabaseFile = ({ content }: GivenFile): boolean => content.subarray(0, magic.length).equals(magic)

/**
 * The tables of another program's database, read from memory: nothing of it touches the disk, and only tables are read, no view
 * or trigger of its own runs. Throws a `FileProblem` when the file is damaged.
 */
export class ForeignStore implements Disposable {
  readonly tables: ReadonlySet<string>
  readonly #file: string
  readonly #database: DatabaseSync

  constructor({ name, content }: GivenFile) {
    this.#file = name
    this.#database = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
    this.#database.enableDefensive(true)
    const image = Buffer.from(content)
    // A copy of a database with a write-ahead log says so in two bytes, and one in memory can have none.
    image.fill(1, 18, 20)
    try {
      this.#database.deserialize(image)
      this.#database.exec('pragma trusted_schema = off; pragma query_only = on')
      const rows = this.#database.prepare(`select name from sqlite_schema where type = 'table'`).all()
      this.tables = new Set(rows.map((row) => String(row['name'])))
    } catch {
      this.#database.close()
      throw new FileProblem(name, 'is a damaged database')
    }
  }

  /** All rows of a table that exists. */
  rows(table: string): ForeignRow[] {
    if (!this.tables.has(table)) throw new FileProblem(this.#file, `has no table ${table}`)
    let rows: ForeignRow[]
    try {
      const quoted = `"${table.replaceAll('"', '""')}"`
      rows = this.#database.prepare(`select * from ${quoted} limit ${maxRows + 1}`).all()
    } catch {
      throw new FileProblem(this.#file, 'is a damaged database')
    }
    if (rows.length > maxRows) throw new FileProblem(this.#file, `has more than ${maxRows} rows in ${table}`)
    return rows
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
