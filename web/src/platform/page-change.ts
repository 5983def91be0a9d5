let isFirst = true

/** Where the focus goes when a page has come in the place of another. */
export const pageChange = {
  arrive(heading: HTMLElement): void {
    if (!isFirst) heading.focus({ preventScroll: true })
    isFirst = false
  },
}
