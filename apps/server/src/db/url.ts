/** Addresses of databases, changed in one part. Both forms of the driver are kept: a host, or a folder in the query. */

/** The same server, another database. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}

/** The same database, as another user. */
export function withLogin(url: string, user: string, password: string): string {
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`
  return withQuery(
    url.replace(/^(\w+:\/\/)(?:[^/?]*@)?/, (_, scheme: string) => scheme + login),
    query => {
      query.delete('user')
      query.delete('password')
    },
  )
}

/** The same, with more settings for each session, as `-c name=value`. */
export function withOptions(url: string, options: string): string {
  return withQuery(url, query =>
    query.set('options', [query.get('options'), options].filter(Boolean).join(' ')),
  )
}

function withQuery(url: string, change: (query: URLSearchParams) => void): string {
  const [place, text = ''] = url.split('?')
  const query = new URLSearchParams(text)
  change(query)
  return query.size ? `${place}?${query.toString()}` : place!
}
