// Renders the drawings of this folder as WebP at twice their size into the decks: `node docs/drawings/render.mjs`. The
// drawings have their own background, so that they are legible on light and dark pages.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'

const SOURCES = import.meta.dirname
const PICTURES = path.join(SOURCES, '../../content/decks/bilder')
const MAX_BYTES = 60_000

/** Runs in the page. */
async function paint(svg) {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = 2 * image.naturalWidth
  canvas.height = 2 * image.naturalHeight
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/webp', 0.85).split(',')[1]
}

mkdirSync(PICTURES, { recursive: true })
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const page = await browser.newPage()
  for (const name of readdirSync(SOURCES).filter((file) => file.endsWith('.svg'))) {
    const picture = Buffer.from(await page.evaluate(paint, readFileSync(path.join(SOURCES, name), 'utf8')), 'base64')
    console.log(`${name}: ${picture.length} bytes`)
    if (picture.length > MAX_BYTES) throw new Error(`${name} is too large`)
    writeFileSync(path.join(PICTURES, name.replace(/svg$/, 'webp')), picture)
  }
} finally {
  await browser.close()
}
