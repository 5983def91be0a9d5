let isFirst = true

/** Moves the focus to the heading of a new page, except for the first page. */
export const pageChange = {
  arrive(heading: HTMLElement): void {
    if (!isFirst) heading.focus({ preventScroll: true })
    isFirst = false
  },
}
