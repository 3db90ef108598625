// An OpenID provider that shares no code with this project, at the token path of the specification.
// It gives JWTs that live as many seconds as the first argument says, and prints where it listens.
import http from 'node:http';
import { Provider } from 'oidc-provider';

const lifetime = Number(process.argv[2]);
const root = '/auth/realms/platform-api/protocol/openid-connect';
const resource = {
  scope: 'visibility:read visibility:write',
  audience: 'visibilities',
  accessTokenTTL: lifetime,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'RS256' } },
};

const server = http.createServer();
server.listen(0, '127.0.0.1', () => {
  const address = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(address, {
    clients: [{
      client_id: process.env.PEER_CLIENT_ID,
      client_secret: process.env.PEER_CLIENT_SECRET,
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      token_endpoint_auth_method: 'client_secret_post',
    }],
    routes: { token: `${root}/token`, jwks: `${root}/certs` },
    scopes: ['visibility:read', 'visibility:write'],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:visibilities',
        useGrantedResource: () => true,
        getResourceServerInfo: () => resource,
      },
    },
    ttl: { ClientCredentials: lifetime },
  });
  server.on('request', provider.callback());
  console.log(JSON.stringify({ auth_url: address, jwks_url: `${address}${root}/certs` }));
});
