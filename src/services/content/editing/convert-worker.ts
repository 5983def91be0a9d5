import { parentPort, workerData } from 'node:worker_threads'
import { convertHtml, readStyleSheet, stylesIn } from '../../../domain/markup/index.js'
import { mediaTarget, parseMediaTarget } from '../../../domain/pictures/index.js'

/** Address of a stored picture, relative or of the service */
const STORED = /(?:^|\/)(media\/[0-9a-f]{64}\.[a-z]+)$/

/** Pictures of other sites are left out, because learners' browsers do not load them. */
function picture(src: string): string | undefined {
  const stored = parseMediaTarget(STORED.exec(src)?.[1] ?? '')
  return stored && mediaTarget(stored)
}

const { html } = workerData as { html: string }
const styles = readStyleSheet(stylesIn(html))
// Text is never longer than its HTML.
parentPort?.postMessage(convertHtml(html, { picture, styles, maxLength: html.length }).markdown)
