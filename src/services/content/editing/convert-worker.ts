import { convertHtml, readStyleSheet, stylesIn } from '../../../domain/markup/index.js'
import { mediaTarget, parseMediaTarget } from '../../../domain/pictures/index.js'
import { handleTasks } from '../../handle-tasks.js'

/** URL of a stored picture, relative or absolute */
const STORED = /(?:^|\/)(media\/[0-9a-f]{64}\.[a-z]+)$/

/**
 * Returns the target of a stored picture; undefined for any other address, because learners' browsers load no pictures
 * from other sites.
 */
function picture(src: string): string | undefined {
  const stored = parseMediaTarget(STORED.exec(src)?.[1] ?? '')
  return stored && mediaTarget(stored)
}

/** Maximum ratio of the lengths of Markdown and HTML; `<svg/>` becomes the longer „[Bild: Zeichnung]“ */
const MAX_GROWTH = 8

handleTasks((html: string) => {
  const styles = readStyleSheet(stylesIn(html))
  // `maxLength` must not cut the text.
  return convertHtml(html, { picture, styles, maxLength: MAX_GROWTH * html.length }).markdown
})
