/** Options of the frame, set by a page */
export const frame = $state({
  /** Without header and bar, as a session is; a route can say so, too. */
  isFocused: false,
})
