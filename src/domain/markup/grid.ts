export interface GridRow<Cell> {
  /** Cells by column; undefined in columns that a spanning cell covers */
  cells: (Cell | undefined)[]
  isHead: boolean
  next: number
}

/** Number of leftmost columns that spanning cells may cover */
const MAX_COLUMNS = 20
/** Maximum number of rows that a cell spans */
const MAX_ROWS = 200
/** Maximum number of empty cells that spanning cells insert into a table */
const MAX_GAPS = 5_000

/** Table rows with each cell in the column where a browser shows it. */
export class Grid<Cell> {
  readonly rows: GridRow<Cell>[] = []
  /** By column: index of the first row where the column is free again */
  readonly #freeFrom: number[] = []
  #gaps = 0

  startRow(isHead: boolean): void {
    this.rows.push({ cells: [], isHead, next: 0 })
  }

  add(cell: Cell, columns: number, rows: number): void {
    if (this.rows.length === 0) this.startRow(false)
    const at = this.rows.length - 1
    const row = this.rows[at] as GridRow<Cell>
    while ((this.#freeFrom[row.next] ?? 0) > at) row.next++
    while (row.cells.length < row.next && this.#gaps++ < MAX_GAPS) row.cells.push(undefined)
    row.cells.push(cell)
    const end = Math.min(row.next + clamp(columns, MAX_COLUMNS), MAX_COLUMNS)
    const isTall = rows > 1
    for (let column = row.next; isTall && column < end; column++) {
      this.#freeFrom[column] = at + clamp(rows, MAX_ROWS)
    }
    row.next = Math.max(end, row.cells.length)
  }
}

function clamp(count: number, most: number): number {
  return Number.isInteger(count) && count > 1 ? Math.min(count, most) : 1
}
