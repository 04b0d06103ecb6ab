/** A linear model as solvers take it: minimize the costs of columns that keep to bounds and rows. */
export interface LinearModel {
  readonly numCols: number
  readonly numRows: number
  readonly colCost: number[]
  readonly colLower: number[]
  readonly colUpper: number[]
  /** 1 for a column that is a whole number. */
  readonly integrality: number[]
  readonly rowLower: number[]
  readonly rowUpper: number[]
  readonly matrix: {
    readonly format: 'csr'
    readonly numRows: number
    readonly numCols: number
    readonly starts: number[]
    readonly indices: number[]
    readonly values: number[]
  }
}

/** A column times a factor. */
export type Term = readonly [column: number, factor: number]

interface Column {
  readonly cost?: number
  readonly lower?: number
  readonly upper?: number
  readonly isWhole?: boolean
}

/** Puts a linear model together, column by column and row by row. */
export class ModelBuilder {
  readonly #columns: Required<Column>[] = []
  readonly #lower: number[] = []
  readonly #upper: number[] = []
  readonly #starts: number[] = [0]
  readonly #indices: number[] = []
  readonly #values: number[] = []

  /** Adds a column, at least 0 without another bound, and returns its number. */
  column({ cost = 0, lower = 0, upper = Infinity, isWhole = false }: Column): number {
    this.#columns.push({ cost, lower, upper, isWhole })
    return this.#columns.length - 1
  }

  /** Adds a row: the sum of the terms is between the bounds. */
  row(terms: readonly Term[], lower: number, upper: number): void {
    for (const [column, factor] of terms) {
      this.#indices.push(column)
      this.#values.push(factor)
    }
    this.#starts.push(this.#indices.length)
    this.#lower.push(lower)
    this.#upper.push(upper)
  }

  build(): LinearModel {
    const numCols = this.#columns.length
    const numRows = this.#lower.length
    return {
      numCols,
      numRows,
      colCost: this.#columns.map(({ cost }) => cost),
      colLower: this.#columns.map(({ lower }) => lower),
      colUpper: this.#columns.map(({ upper }) => upper),
      integrality: this.#columns.map(({ isWhole }) => (isWhole ? 1 : 0)),
      rowLower: this.#lower,
      rowUpper: this.#upper,
      matrix: {
        format: 'csr',
        numRows,
        numCols,
        starts: this.#starts,
        indices: this.#indices,
        values: this.#values,
      },
    }
  }
}
