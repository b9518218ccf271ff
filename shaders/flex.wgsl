// Vertices of flexes, frames of rods, lengths of edges and their Jacobians (`mj_flex`).

fn mj_flex() {
    // vertices
    for (var v = lane; v < nflexvert; v += LANES) {
        let body = flex_vertbodyid(v);
        if (model_cages && body < 0) {
            continue;
        }
        set_flexvert_xpos(v, xpos(body) + xmat(body) * flex_vert(v));
    }
    for (var f = 0; f < nflex && model_cages; f++) {
        if (flex_interp(f) != 0) {
            place_vertices(f);
        }
    }
    team_sync();

    // frames of elastic rods
    if (nrod > 0) {
        carry_rods();
    }

    // edges, except those of rigid or interpolated flexes
    for (var f = 0; f < nflex; f++) {
        if (flex_rigid(f) != 0 || (model_cages && flex_interp(f) != 0)) {
            continue;
        }
        let adr = flex_edgeadr(f);
        for (var e = adr + lane; e < adr + flex_edgenum(f); e += LANES) {
            flex_edge_row(flex_vertadr(f), e);
        }
    }
}

fn flex_edge_row(vertadr: i32, e: i32) {
    let v0 = vertadr + flex_edge(e, 0);
    let v1 = vertadr + flex_edge(e, 1);
    let point0 = flexvert_xpos(v0);
    let point1 = flexvert_xpos(v1);
    let way = normalize3(point1 - point0);
    set_flexedge_length(e, way.w);
    let adr = flexedge_J_rowadr(e);
    let num = flexedge_J_rownnz(e);
    if (num == 0) {
        return;
    }

    // the second vertex minus the first
    for (var k = adr; k < adr + num; k++) {
        set_flexedge_J(k, 0.0);
    }
    for (var side = 0; side < 2; side++) {
        let second = side == 0;
        add_jac<flexedge_J, flexedge_J_colind>(
            adr,
            num,
            flex_vertbodyid(select(v0, v1, second)),
            select(point0, point1, second),
            select(-way.xyz, way.xyz, second),
            vec3f(),
        );
    }
}
