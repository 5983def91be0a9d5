import { mount, unmount } from 'svelte'
import Large from './picture-large.svelte'

export function openPicture(address: string, alt: string): void {
  const shown = mount(Large, {
    target: document.body,
    props: { address, alt, onclose: () => void unmount(shown) },
  })
}
