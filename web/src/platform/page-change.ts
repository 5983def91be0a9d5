let isFirst = true

/** Focus management of page changes */
export const pageChange = {
  arrive(heading: HTMLElement): void {
    if (!isFirst) heading.focus({ preventScroll: true })
    isFirst = false
  },
}
