/** The text field on which the toolbar acts: the one that last had the focus, or initially the first one */
export class EditorFocus {
  field = $state.raw<HTMLTextAreaElement>()
}
