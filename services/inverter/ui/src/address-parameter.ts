import { useSearchParams } from 'wouter'

/** A parameter of the page's address. A change replaces the entry in the history and keeps the other parameters. */
export function useAddressParameter(name: string): [string | null, (value: string | undefined) => void] {
  const [params, setParams] = useSearchParams()
  const set = (value: string | undefined) =>
    setParams(
      (present) => {
        const next = new URLSearchParams(present)
        if (value === undefined) next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return [params.get(name), set]
}
