import { parentPort, workerData } from 'node:worker_threads'
import { convertHtml, readStyleSheet, stylesIn } from '../../../domain/markup/index.js'
import { mediaTarget, parseMediaTarget } from '../../../domain/pictures/index.js'

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

/** A text may be longer than its HTML: `<svg/>` becomes „[Bild: Zeichnung]“. */
const MAX_GROWTH = 8

const { html } = workerData as { html: string }
const styles = readStyleSheet(stylesIn(html))
// `maxLength` must not limit the text. Except for the names that replace media, it is never longer than its HTML.
parentPort?.postMessage(convertHtml(html, { picture, styles, maxLength: MAX_GROWTH * html.length }).markdown)
