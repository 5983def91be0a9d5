import { sentenceOf } from '../api/faults.js'
import { say } from '../parts/toasts.svelte.js'
import { applyEdit, replaceText, selectedIn } from './apply.js'
import { placeholder, uploadPicture } from './upload.js'

/** Uploads pictures to the caret. A placeholder shows their place; a failure removes it and says so. */
export async function insertPictures(field: HTMLTextAreaElement, files: File[]): Promise<void> {
  const all = files.map((file) => ({ file, mark: placeholder() }))
  const { start, end } = selectedIn(field)
  const insert = all.map(({ mark }) => mark).join('\n\n')
  applyEdit(field, { from: start, to: end, insert, start: start + insert.length, end: start + insert.length })
  for (const { file, mark } of all) {
    try {
      const address = await uploadPicture(file)
      const name = file.name.replace(/\.\w+$/, '').replaceAll(/[[\]]/g, ' ')
      // The name that browsers give a screenshot says nothing.
      replaceText(field, mark, `![${/^image$/i.test(name) ? 'Bild' : name}](${address})`)
    } catch (error) {
      replaceText(field, mark, '')
      say(`Das Bild ließ sich nicht hochladen. ${sentenceOf(error)}`, { tone: 'bad' })
    }
  }
}
