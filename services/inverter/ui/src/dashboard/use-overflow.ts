import { type RefObject, useEffect, useRef, useState } from 'react'

/** Whether the content of an element is larger than the element, so that a keyboard must be able to scroll it. */
export function useOverflow(): [RefObject<HTMLDivElement | null>, boolean] {
  const ref = useRef<HTMLDivElement>(null)
  const [overflows, setOverflows] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const look = () => setOverflows(element.scrollHeight > element.clientHeight + 1)
    const observer = new ResizeObserver(look)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  })
  return [ref, overflows]
}
