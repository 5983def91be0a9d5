/** Returns a promise with its resolver: `Promise.withResolvers`, which Node 20 does not have. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
