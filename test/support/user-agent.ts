/** Follows redirects by hand and keeps cookies, as a browser without scripts does. */
export function createUserAgent() {
  const cookies = new Map<string, string>()

  const send = async (url: string, init: Pick<RequestInit, 'method' | 'body'> = {}): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }

  return {
    /** Follows the redirects within the origin of the URL. The last response, and where it came from or leads to. */
    visit: async (
      url: string,
      init: Pick<RequestInit, 'method' | 'body'> = {},
    ): Promise<{ url: string; response: Response }> => {
      let response = await send(url, init)
      let at = url
      for (let location = response.headers.get('location'); location !== null; ) {
        const next = new URL(location, at)
        if (next.origin !== new URL(url).origin) return { url: next.href, response }
        at = next.href
        response = await send(at)
        location = response.headers.get('location')
      }
      return { url: at, response }
    },
  }
}

export type UserAgent = ReturnType<typeof createUserAgent>
