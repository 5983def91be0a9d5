import { sizeOf, storeSize } from '../platform/picture-sizes.js'
import { pictureAddress, pictureHash } from './picture-address.js'

/** Maximum height of a picture within text, in pixels. A dialog shows it larger. */
const MAX_HEIGHT = 480
/** Height in pixels up to which a picture is shown within a line of text */
const LINE_HEIGHT = 40
/** Delay in milliseconds before pictures of hidden content are loaded, so that visible pictures load first */
const HIDDEN_AFTER_MS = 500

/**
 * Puts a stored picture into a frame that reserves its space. Outside of links, a click enlarges the picture, or loads
 * it again after a failure. Returns false for other images.
 */
export function showPicture(image: HTMLImageElement): boolean {
  const target = image.getAttribute('src') ?? ''
  const address = pictureAddress(target)
  const sha = pictureHash(target)
  if (address === undefined || sha === undefined) return false
  image.loading = 'lazy'
  image.decoding = 'async'
  image.setAttribute('src', address)
  // Within a link, a click follows the link, so the frame is not a button.
  const frame = document.createElement(image.closest('a') === null ? 'button' : 'span')
  frame.className = 'picture'
  image.replaceWith(frame)
  frame.append(image)
  const words = image.alt || 'Bild'
  if (frame instanceof HTMLButtonElement) {
    frame.type = 'button'
    frame.ariaLabel = `${words} – vergrößern`
    frame.addEventListener('click', () => {
      if (frame.classList.contains('missing')) retry(image)
      else void import('./picture-dialog.js').then(({ openPicture }) => openPicture(address, image.alt), ignoreFailure)
    })
  }
  reserveSpace(frame, image, sha)
  image.addEventListener('load', () => {
    frame.classList.remove('missing')
    delete frame.dataset.words
    onLoaded(frame, image, sha, image)
  })
  image.addEventListener('error', () => {
    frame.classList.add('missing')
    frame.dataset.words = `Bild nicht geladen: ${words}`
  })
  return true
}

/** Loads the pictures of a hidden element, such as an answer, and records their sizes. Skips a visible element. */
export function preloadHidden(element: HTMLElement): void {
  const images = element.querySelectorAll<HTMLImageElement>('.picture > img')
  if (images.length === 0 || element.checkVisibility()) return
  setTimeout(() => images.forEach(preload), HIDDEN_AFTER_MS)
}

function preload(image: HTMLImageElement): void {
  const sha = pictureHash((image.getAttribute('src') ?? '').replace('api/content/', '')) ?? ''
  const early = new Image()
  early.addEventListener('load', () => onLoaded(image.parentElement as HTMLElement, image, sha, early))
  early.src = image.src
}

function onLoaded(frame: HTMLElement, image: HTMLImageElement, sha: string, loaded: HTMLImageElement): void {
  storeSize(sha, loaded.naturalWidth, loaded.naturalHeight)
  // A visible frame keeps its size, so that the content does not move. The picture is then fitted into the frame.
  const isSeen = frame.checkVisibility() && frame.getBoundingClientRect().top < innerHeight
  if (!isSeen) reserveSpace(frame, image, sha)
}

function reserveSpace(frame: HTMLElement, image: HTMLImageElement, sha: string): void {
  const size = sizeOf(sha)
  frame.classList.toggle('unknown', size === undefined)
  if (size === undefined) return
  const [width, height] = size
  const share = Math.min(1, MAX_HEIGHT / height)
  image.width = Math.round(width * share)
  image.height = Math.round(height * share)
  frame.classList.toggle('low', height <= LINE_HEIGHT)
}

function retry(image: HTMLImageElement): void {
  const address = image.getAttribute('src') ?? ''
  image.loading = 'eager'
  image.setAttribute('src', address)
}

/** Does nothing: if the dialog cannot be loaded, the picture is not enlarged. */
function ignoreFailure(): void {}
