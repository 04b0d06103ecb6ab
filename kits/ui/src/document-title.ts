import { useEffect } from 'react'

/** Sets the document's title to "Page · Service" while the component is on screen. */
export function useDocumentTitle(title: string, service: string): void {
  useEffect(() => {
    document.title = `${title} · Hearth ${service}`
  }, [title, service])
}
