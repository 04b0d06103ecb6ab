/** Elements that open dialogs when they are pressed. */
const pressable = 'button, a[href], input, select, textarea, [role="menuitem"], [tabindex]'
const modal = '[role="dialog"][aria-modal="true"]'

/**
 * Gives the focus back to what opened a dialog once that dialog is gone, for every dialog of a page, however it is made. A
 * dialog that a menu opened gives it to the button of the menu; where that is gone too, as after a row was deleted, the main
 * landmark gets it. Returns a function that ends it.
 */
export function returnFocusOfDialogs(page: Document): () => void {
  /** Open dialogs, each with what opened it. */
  const openers = new Map<Element, Element>()
  let last: Element = page.body
  /** Element that got the focus back and still has it: it may go with its row. */
  let holder: Element | undefined
  const press = (event: Event) => {
    const target = event.target instanceof Element ? event.target.closest(pressable) : null
    if (target !== null) last = anchorOf(target)
  }
  const focus = (event: Event) => {
    if (!(event.target instanceof Element)) return
    const dialog = event.target.closest(modal)
    if (dialog !== null && !openers.has(dialog)) openers.set(dialog, last)
    last = anchorOf(event.target)
    if (event.target !== holder) holder = undefined
  }
  // What removed an element may still move the focus itself, so it is looked at a frame later.
  const giveSoon = (opener: Element) => requestAnimationFrame(() => (holder = giveFocus(page, opener) ?? holder))
  const observer = new MutationObserver(() => {
    for (const [dialog, opener] of openers) {
      if (dialog.isConnected) continue
      openers.delete(dialog)
      giveSoon(opener)
    }
    if (holder?.isConnected === false) giveSoon(holder)
  })
  page.addEventListener('click', press, true)
  page.addEventListener('focusin', focus)
  observer.observe(page.body, { childList: true, subtree: true })
  return () => {
    page.removeEventListener('click', press, true)
    page.removeEventListener('focusin', focus)
    observer.disconnect()
  }
}

/** Element that remains when a menu closes: its button for an entry of it, otherwise the element itself. */
function anchorOf(element: Element): Element {
  const menu = element.closest('[role="menu"]')
  const button = menu === null ? null : element.ownerDocument.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`)
  return button ?? element
}

/** Focuses the opener, or the content of the page; nothing when something has the focus. Returns what got it. */
function giveFocus(page: Document, opener: Element): Element | undefined {
  if (page.activeElement !== null && page.activeElement !== page.body) return undefined
  const target = opener.isConnected && opener !== page.body ? opener : page.querySelector('main')
  if (!(target instanceof HTMLElement)) return undefined
  target.focus({ preventScroll: true })
  return target
}
