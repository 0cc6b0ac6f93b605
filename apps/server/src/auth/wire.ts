/** Names that the wire knows the service by. */

/** Where the service lives under the public address; together they are the issuer. */
export const basePath = '/auth/v1'
export const audience = 'authenticated'
