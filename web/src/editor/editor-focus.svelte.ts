/** The text field on which the toolbar acts: the last focused one. */
export class EditorFocus {
  field = $state.raw<HTMLTextAreaElement>()
}
