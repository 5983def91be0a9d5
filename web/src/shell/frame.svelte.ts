export const frame = $state({
  /** Whether the shown page hides header and bottom bar, as during a quiz. A route can also hide them. */
  isFocused: false,
})
