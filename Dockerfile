# One image for every agent: each is given its own roles/ folder and its own memory, see docker-compose.yml.
FROM node:24.21-slim

WORKDIR /voxtree
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY bin ./bin
COPY src ./src

# A volume takes over whose folder it covers.
RUN install -d -o node -g node /var/lib/voxtree
ENV NODE_ENV=production VOXTREE_DATA_DIR=/var/lib/voxtree

USER node
ENTRYPOINT ["node", "bin/voxtree.js"]
CMD ["start"]
