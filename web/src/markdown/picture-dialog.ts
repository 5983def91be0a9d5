import { mount, unmount } from 'svelte'
import Large from './picture-large.svelte'

/** Opens a dialog that shows a picture as large as the window allows, at most at twice its size. */
export function openPicture(address: string, alt: string): void {
  const shown = mount(Large, {
    target: document.body,
    props: { address, alt, onclose: () => void unmount(shown) },
  })
}
