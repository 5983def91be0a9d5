/** What waits for `opened` goes on once the test opens the gate: `Promise.withResolvers`, which Node 20 does not have. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
