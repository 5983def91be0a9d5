import { sentenceOf } from '../api/faults.js'
import { showToast } from '../parts/toasts.svelte.js'
import { applyEdit, replaceText, selectedIn } from './apply.js'
import { insertText } from './commands.js'
import { placeholder } from './placeholders.js'
import { uploadPicture } from './upload.js'

/** Uploads pictures and inserts them in place of the selection. A placeholder marks the position during the upload. */
export async function insertPictures(field: HTMLTextAreaElement, files: File[]): Promise<void> {
  const all = files.map((file) => ({ file, mark: placeholder() }))
  applyEdit(field, insertText(selectedIn(field), all.map(({ mark }) => mark).join('\n\n')))
  for (const { file, mark } of all) {
    try {
      const address = await uploadPicture(file)
      const name = file.name.replace(/\.\w+$/, '').replaceAll(/[[\]]/g, ' ')
      // Browsers give a pasted screenshot the file name `image.png`, which does not describe it.
      replaceText(field, mark, `![${/^image$/i.test(name) ? 'Bild' : name}](${address})`)
    } catch (error) {
      replaceText(field, mark, '')
      showToast(`Das Bild ließ sich nicht hochladen. ${sentenceOf(error)}`, { tone: 'bad' })
    }
  }
}
