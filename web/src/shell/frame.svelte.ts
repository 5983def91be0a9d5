/** Options of the frame, set by a page */
export const frame = $state({
  /** Whether header and bottom bar are hidden, as in a session; a route can require this as well */
  isFocused: false,
})
