import { mount, unmount } from 'svelte'
import Large from './picture-large.svelte'

/** Shows a picture as large as the window allows, until it is closed. */
export function openPicture(address: string, alt: string): void {
  const shown = mount(Large, {
    target: document.body,
    props: { address, alt, onclose: () => void unmount(shown) },
  })
}
